"""Public reports of what hurt authors of kernels, and which rule speaks of each: rows of `docs/rules/reports.md`.

A row with a rule names the example of that rule that has the shape of the report; the tests run it. A row without one
says why. Nothing of the analysis reads this.
"""

from __future__ import annotations

from pto_analysis.frozen import frozen
from pto_analysis.rules.rule import Reference

_OWNER = "hw-native-sys"


@frozen
class Report:
    """`example` is the title of a bad example of the rule `code`; `because` is why there is no rule."""

    references: tuple[Reference, ...]
    what: str
    code: str | None = None
    example: str = ""
    because: str = ""


@frozen
class Topic:
    title: str
    reports: tuple[Report, ...]


def _references(labels: str) -> tuple[Reference, ...]:
    """ "pypto#1640, PTOAS#875" as references."""
    pairs = (label.strip().split("#") for label in labels.split(","))
    return tuple(Reference(f"{_OWNER}/{name}" if "/" not in name else name, int(number)) for name, number in pairs)


def _told(labels: str, what: str, code: str, example: str) -> Report:
    return Report(_references(labels), what, code, example)


def _silent(labels: str, what: str, because: str) -> Report:
    return Report(_references(labels), what, because=because)


_REPAIRED = "a fault of the compiler, repaired; the spelling is right"
_COMPILER = "a fault of the compiler in code that it makes itself"
_ASSEMBLER = "a fault of the assembler; the text is right"
_PLAN = "a fault of the assembler's plan; `pto-lint sync --model ptoas --verify` can check one"
_PADDING = "a fault of old compilers; a rule for them would speak up in kernels that may ignore their padding"
_LIBRARY = "a fault of the instruction library; no toolchain date says since when it is gone"
_RUNTIME = "only a run shows it"

TOPICS = (
    Topic(
        "Slices and views",
        (
            _told(
                "pypto#1640",
                "A row taken at run time lands on row 0 of its own tile",
                "PTO102",
                "one row after the other",
            ),
            _told(
                "pypto#2010",
                "Columns of a tile of several rows: only row 0 is right",
                "PTO103",
                "the right half of a tile",
            ),
            _told("pypto#1789", "A column that is not aligned hangs the device", "PTO104", "24 bytes into a row"),
            _told(
                "pypto#2384", "The same, read by a statement without a result", "PTO104", "stored by a bare statement"
            ),
            _told(
                "pypto#1267",
                "A run-time window of L1 that is pushed dies in the assembler",
                "PTO106",
                "pushed to the vector cores from a row that only run time knows",
            ),
            _told(
                "PTOAS#570",
                "Columns of a tile in L0B are read from the wrong boxes",
                "PTO326",
                "the right half, cut in L0B",
            ),
            _told("pypto#1198", "A slice of a tile in L1 becomes a copy within L1", "PTO318", "from L1 to L1"),
            _told("pypto#2380", "A valid shape set on a view", "PTO317", "on a window"),
            _silent(
                "pypto#2149",
                "A reshape claims padding as valid",
                _PADDING,
            ),
            _silent("pypto#2688", "A reshape to a higher rank loses elements", _REPAIRED),
            _silent("pypto#1217", "A view of a whole tile becomes a copy", _REPAIRED),
            _silent("pypto#1450", "An odd number of rows cannot be split", _REPAIRED),
            _silent("pypto#1535", "A window inherits a lane without valid elements", _REPAIRED),
        ),
    ),
    Topic(
        "Accumulators",
        (
            _told("pto-isa#253", "A band of rows of a taller accumulator", "PTO201", "a band of rows"),
            _told(
                "pypto#2403",
                "A product goes to a buffer of its own, the window stays empty",
                "PTO201",
                "a band carried by a loop",
            ),
            _silent("pypto#2554", "Windows that a batched product makes are off by boxes", _COMPILER),
            _silent(
                "pypto#2669",
                "Bands of rows of a tensor-level accumulator",
                "compilers since September 2026 pack them into columns; at tile level PTO201 speaks",
            ),
            _silent(
                "pypto#2470", "An accumulator with a run-time number of rows is stored at the wrong pitch", _COMPILER
            ),
            _silent("pypto#2531", "The same on the way to the vector cores", _COMPILER),
            _told("pypto#1924", "The first K step in a branch costs a second accumulator", "PTO404", "128 KB twice"),
            _told("pypto#2489", "The same, with two homes for one value", "PTO404", "128 KB twice"),
            _silent("pypto#2232", "A wide accumulation fails with the wrong buffer's name", _REPAIRED),
            _silent("pypto#2529", "`init_cond` refused for three axes", _REPAIRED),
            _silent(
                "pypto#2514",
                "The reference accumulates where the chip overwrites",
                "a fault of the reference implementation",
            ),
        ),
    ),
    Topic(
        "Capacity",
        (
            _told("pypto#626, pypto#627", "128 KB in L0B, reported at a whole function", "PTO402", "128 KB in L0B"),
            _silent("pypto#1601", "The second product of attention is left untiled", _REPAIRED),
            _told("pypto#2308", "An operand placed in L0 by hand is too large", "PTO402", "128 KB in L0B"),
            _silent("pypto#2633", "A panel of L0B on A5 depends on two products of one function", _COMPILER),
            _told(
                "pto-isa#170",
                "The vector buffer has 184 KB, not 192",
                "PTO401",
                "192 KB of the chip's, of which the compiler hands out 184",
            ),
            _told(
                "pypto-lib#621", "Two pipelines in each other keep four copies", "PTO403", "four copies of two blocks"
            ),
            _told(
                "pto-isa#119",
                "Tiles that lie past the end of the vector buffer",
                "PTO405",
                "past the end of the vector buffer",
            ),
            _silent("pypto-lib#858", "Two tasks that fit alone fault together", _RUNTIME),
            _silent("pypto#2287, pypto#2378", "A crossing between cores reserves too much", _REPAIRED),
            _silent("pto-isa#291", "Filling a full tile in place writes one past the end", _LIBRARY),
            _silent("pypto#2639", "The verdict depends on the planner", _COMPILER),
        ),
    ),
    Topic(
        "Alignment, shapes, layouts",
        (
            _told("PTOAS#875", "A constant address off 32 bytes", "PTO405", "16 bytes off"),
            _told("pypto#2667", "Tiles of less than 32 bytes a row", "PTO315", "rows of 16 bytes"),
            _told("PTOAS#659", "Examples of 4 by 4 are refused", "PTO315", "rows of 16 bytes"),
            _told("PTOAS#113", "163 columns are refused without a number", "PTO315", "163 columns"),
            _told("pypto#724", "Four rows on the left of a product", "PTO314", "M is 4"),
            _told("pypto#2572", "M that is no multiple of 16", "PTO314", "M is 20"),
            _told("pypto#2577, pypto#1447", "N that is no multiple of 16", "PTO314", "N is 17"),
            _told("pypto#2442", "K that is no multiple of a box", "PTO313", "K is 100"),
            _told("pypto#2568", "Fewer than 16 rows reach the cube", "PTO314", "M is 4"),
            _told(
                "pypto-lib#312, pypto#1398", "One column of a row-major tensor", "PTO316", "the first of eight columns"
            ),
            _told("pypto#1230", "The same from a slice of weights", "PTO316", "the first of eight columns"),
            _silent("pypto#581", "The layout of a row sum breaks the next sum", _REPAIRED),
            _silent("pypto#1308", "A negation is left out of a list of layouts", _REPAIRED),
            _silent("PTOAS#826", "A row expansion on A5 has no template", _ASSEMBLER),
            _silent("pypto#1651", "A transpose of three axes alone fails", _REPAIRED),
            _silent(
                "pypto#1578",
                "A dynamic extent of three axes",
                "symbolic extents are followed, and the compiler's limits for them change by the week",
            ),
            _silent("pypto#1408", "A store of a tile with three axes", _REPAIRED),
            _silent("pto-isa#173", "A transpose of fewer than 16 rows of FP32", _LIBRARY),
            _silent("pto-isa#34", "The simulator refuses what the device takes", "a fault of the simulator"),
            _told("simpler#1036", "A vector operand that is not aligned", "PTO104", "24 bytes into a row"),
            _silent("pypto#1586", "A scatter into one row", _COMPILER),
        ),
    ),
    Topic(
        "Scratch tiles, dtypes, targets",
        (
            _told("pypto#2082", "Scratch of the result's size gives zeros", "PTO302", "scratch of the result's size"),
            _told("pypto#2615", "Scratch that is too wide gives a wrong index", "PTO324", "scratch that is too wide"),
            _silent("pypto#2132", "A number beside an integer tile", _REPAIRED),
            _told(
                "pypto#2779",
                "An annotation does not convert an index",
                "PTO325",
                "a row computed from the loop variable",
            ),
            _silent("pypto#1181", "A cast of an index loses its type", _REPAIRED),
            _silent("pypto#2222", "The value of a notification must have 32 bits", _REPAIRED),
            _told(
                "pypto#621",
                "Operations without a generator in the host's code",
                "PTO323",
                "an operation before the region",
            ),
            _told("pypto#508", "The same for a slice", "PTO323", "an operation before the region"),
            _told("pypto#1930", "BF16 added in place, on A5", "PTO311", "BF16 added in place"),
            _told(
                "pypto#2364",
                "A store of an accumulator in a dtype that it cannot write",
                "PTO310",
                "an INT8 product of INT8 operands",
            ),
            _silent("pto-isa#107", "BF16 fills on the vector path", "neither allowed nor refused by any text"),
            _silent("pypto#1859", "What a masked scatter is", "a fault of the documentation"),
            _told(
                "pypto#1460", "One product feeds another", "PTO318", "from L0C to L0A, where one product feeds the next"
            ),
            _silent("PTOAS#261", "What a store with a scale accepts", "a fault of the documentation"),
            _silent("PTOAS#485", "A move in another layout hangs on A5", _ASSEMBLER),
            _told("PTOAS#487", "An operation of another target", "PTO319", "a microscaled product on A2/A3"),
        ),
    ),
    Topic(
        "Valid shapes and bounds",
        (
            _told("pypto-lib#1111", "16 rows read from a tensor of eight", "PTO303", "a loop around the region"),
            _told(
                "pypto-lib#653",
                "A valid shape that counts all rows",
                "PTO303",
                "a valid shape that counts all rows, and not those from the offset on",
            ),
            _silent("pypto#1401", "A reduction reads rows that nobody wrote", _REPAIRED),
            _silent("pypto#1505", "Broadcasts lose a dynamic valid shape", _REPAIRED),
            _told("pypto#730", "A padding that masks nothing", "PTO607", "loaded without a valid shape"),
            _silent("PTOAS#660", "A valid shape after a row expansion", _ASSEMBLER),
            _silent(
                "pypto-lib#878", "Padding that only an unwritten rule keeps harmless", "nothing in the text is wrong"
            ),
        ),
    ),
    Topic(
        "Control flow and results",
        (
            _told(
                "pypto#2352, pypto#1525, pypto#882",
                "An assignment to an output writes nothing",
                "PTO601",
                "the sum never reaches the caller",
            ),
            _told(
                "pypto-lib#659, pypto-lib#669",
                "An output without its direction reads back as zeros",
                "PTO605",
                "an output without its direction",
            ),
            _silent("pypto#1286", "What a loop binds anew is dropped", _REPAIRED),
            _silent("pypto#2481", "A tile carried by a loop loses its value", _REPAIRED),
            _silent("pypto#2228", "The printer's own form of a loop is refused", _REPAIRED),
            _told("pypto#333", "A name that one arm defines", "PTO322", "defined in one arm"),
            _told("pypto#448", "`break` that is ignored", "PTO312", "leaving a parallel loop"),
            _silent("pypto#276", "A list of the module as an argument", _REPAIRED),
            _told(
                "pypto#941",
                "An operation inside an argument is hoisted out of the region",
                "PTO323",
                "an operation in an argument",
            ),
            _silent("pypto#504, pypto#506", "Cube and vector work in one kernel", "the compiler splits such kernels"),
            _silent("pypto-lib#302", "The same from another entry", "the compiler splits such kernels"),
            _told(
                "pypto#270", "A stale value after a call", "PTO606", "the result has a name of its own, and is not used"
            ),
            _silent("pypto#2180", "A tensor that both arms define has no name in the host's code", _REPAIRED),
            _silent("pypto#1242", "Unrolled and counted loops give different results", _COMPILER),
            _silent(
                "pypto#2006",
                "Half of the work of two lanes is lost",
                "which lane writes what is the author's, and both are legal",
            ),
            _silent("PTOAS#1558, PTOAS#1097", "Carries of another front end", "not this language"),
        ),
    ),
    Topic(
        "Results in place",
        (
            _told(
                "pypto#2007", "A concatenation over one of its sources", "PTO608", "a remainder over its first operand"
            ),
            _told(
                "pto-isa#179", "A remainder over its operand is zero", "PTO608", "a remainder over its first operand"
            ),
            _told(
                "pypto#557, pypto#1788",
                "Operations that are not safe in place",
                "PTO608",
                "a remainder over its first operand",
            ),
            _silent("PTOAS#934", "A planner gives scratch away too early", _ASSEMBLER),
            _silent(
                "PTOAS#899", "How to write a result in place", "a question; `pto-lint sync` shows what shares bytes"
            ),
        ),
    ),
    Topic(
        "Order and waits",
        (
            _told(
                "PTOAS#1587",
                "Disjoint slots wait for each other",
                "PTO501",
                "two slots of a ring, told apart by arithmetic",
            ),
            _told("PTOAS#1569", "Three slots run out of event ids", "PTO502", "four rings of three slots"),
            _silent(
                "PTOAS#1519, PTOAS#1118",
                "Slots that are primed wrongly",
                _PLAN,
            ),
            _silent(
                "PTOAS#706, PTOAS#730, PTOAS#533, PTOAS#564",
                "Waits that are missing",
                _PLAN,
            ),
            _silent(
                "PTOAS#823, PTOAS#128, PTOAS#622, PTOAS#1149",
                "Waits that never end",
                _PLAN,
            ),
            _told("PTOAS#1101", "A gate for flags: balance, lifetime, coverage", "PTO503", "a set on one path only"),
            _silent("PTOAS#1499, PTOAS#1532", "An index ramp on the wrong queue", _ASSEMBLER),
            _told("pypto#1935, pto-isa#197", "A barrier over cores that were not launched", "PTO504", "too few blocks"),
            _told(
                "pypto#2058, simpler#1306, pypto-lib#481",
                "A buffer is written again while it is still read",
                "PTO604",
                "one buffer for all rounds",
            ),
            _silent("pypto#2097, pto-isa#226, pypto#2269", "Rings between cores hang or alias", _COMPILER),
            _silent("pypto-lib#419, pypto#1444, pypto#2415", "Edges between tasks that get lost", _RUNTIME),
        ),
    ),
)
"""By what they are about, each with its reports in the order in which they came."""
