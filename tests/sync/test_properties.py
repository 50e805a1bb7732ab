"""What holds for every kernel: the precise plan is sound and token safe, and orders nothing that no hazard asks for."""

from __future__ import annotations

from attrs import evolve
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pto_analysis.arith.terms import INDEX_BITS
from pto_analysis.sync.checker import Rules, check
from pto_analysis.sync.interpreter import Schedule, differences
from pto_analysis.sync.model import CORE_QUEUES
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.precision import excess
from pto_analysis.sync.program import Manual, SyncProgram, statements
from pto_analysis.sync.verify import verify
from tests.sync.random_programs import cube_kernels, kernels, straight_kernels
from tests.sync.runs import precise, program, run_program

# Shrinking a kernel takes minutes and is not worth them: what is reported is small enough to read. The kernels are the
# same in every run; `test_soak` draws new ones.
SLOW = settings(
    derandomize=True,
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=(Phase.explicit, Phase.generate),
)


def strict(text: str) -> Rules:
    """The machine without the guarantee that scalar ops are complete at issue."""
    return Rules(program(text).target, scalar_at_issue=False)


def authored(text: str) -> frozenset[str]:
    return frozenset(one.id for one in statements(program(text).body) if isinstance(one, Manual))


@SLOW
@given(st.one_of(kernels(), cube_kernels()))
def test_every_small_run_is_sound_and_token_safe(text: str) -> None:
    outcome = verify(program(text), precise(text), strict(text), runs=24)
    assert outcome.failure is None, text + "\n".join(outcome.failure.schedule)


@SLOW
@given(straight_kernels(static=True))
def test_nothing_is_ordered_without_need_on_a_straight_line(text: str) -> None:
    seen = run_program(program(text), precise(text), {"i": 1, "c": 1})
    assert excess(seen.trace.items, strict(text), authored(text)) == (), text


@SLOW
@given(st.one_of(kernels(), cube_kernels()), st.integers(0, 3), st.integers(0, 1), st.integers(0, 10**6))
def test_numbers_survive_adversarial_schedules(text: str, trips: int, taken: int, seed: int) -> None:
    code = program(text)
    seen = run_program(code, precise(text), {"n": trips, "m": 2, "i": seed % 7, "c": taken})
    for favourite in (None, *CORE_QUEUES[code.core]):
        for flavour in ("lazy", "random"):
            schedule = Schedule(seed, "lazy" if flavour == "lazy" else "random", favourite)
            assert differences(seen.trace.items, schedule, code.target) == ()


@SLOW
@given(straight_kernels(), st.integers(0, 10**6))
def test_checker_and_interpreter_agree_on_unsynchronised_code(text: str, seed: int) -> None:
    """Wherever numbers differ without any synchronisation, the checker has found a race."""
    code = program(text)
    items = run_program(code, None, {"i": seed % 9, "c": seed % 2}).trace.items
    if any(differences(items, Schedule(seed + k, "lazy"), code.target) for k in range(5)):
        assert not check(items, Rules(code.target)).ok


def is_missed(code: SyncProgram, plan: Plan, rules: Rules) -> bool:
    """Whether some run fails; a second look goes further where a first one found nothing."""
    return any(verify(code, plan, rules, runs=runs).failure is not None for runs in (40, 1500))


def without(plan: Plan, identity: str) -> Plan:
    return evolve(plan, items=tuple(item for item in plan.items if identity not in (item.id, item.pair)))


def without_wrapping(text: str) -> SyncProgram:
    """The kernel with arguments so small that no index wraps."""
    code = program(text)
    arguments = [
        evolve(one, lower=0, upper=1 << 32) if one.symbol.bits == INDEX_BITS else one for one in code.arguments
    ]
    return evolve(code, arguments=tuple(arguments))


def assert_no_group_is_spare(text: str) -> None:
    """Of a kernel whose conditions and bounds may have to do with each other."""
    code = without_wrapping(text)
    plan = plan_precise(code)
    rules = Rules(code.target, scalar_at_issue=False)
    for group in dict.fromkeys(item.pair or item.id for item in plan.items if item.role != "tail"):
        assert is_missed(code, without(plan, group), rules), f"{group} orders nothing\n{text}"


@settings(SLOW, max_examples=60)
@given(st.one_of(kernels(plain=True, budget=8), cube_kernels(plain=True, budget=8)))
def test_every_item_is_needed_by_possible_paths(text: str) -> None:
    """Two branches on one condition, loops up to one bound or up to the counter of another, conditions on counters,
    while loops, choices, and slots below branches on their index."""
    assert_no_group_is_spare(text)


@settings(SLOW, max_examples=50)
@given(st.one_of(straight_kernels(static=True), kernels(free=True, budget=8), cube_kernels(free=True, budget=8)))
def test_every_item_is_needed(text: str) -> None:
    """Without any one pair or barrier the checker finds a race in some run, without any half of a pair a fault."""
    code, plan = program(text), precise(text)
    groups = dict.fromkeys(item.pair or item.id for item in plan.items if item.role != "tail")
    for group in groups:
        assert is_missed(code, without(plan, group), strict(text)), f"{group} orders nothing\n{text}"
        halves = [item.id for item in plan.items if item.pair == group]
        for half in halves:
            assert verify(code, without(plan, half), runs=40).failure is not None
