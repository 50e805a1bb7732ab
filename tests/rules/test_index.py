from __future__ import annotations

import subprocess
import sys

from pto_analysis.rules.index import RuleEntry, rule_index
from pto_analysis.rules.registry import all_rules


def test_the_index_says_what_the_rules_say() -> None:
    expected = {
        code: RuleEntry(code, rule.name, rule.severity, rule.on_by_default) for code, rule in all_rules().items()
    }
    assert dict(rule_index()) == expected


def test_a_run_without_kernels_does_not_load_the_analysis(tmp_path: object) -> None:
    script = (
        "import sys; from pto_lsp.cli.main import main; main(['check', sys.argv[1], '--isolated']);"
        "print([name for name in sys.modules if name.startswith(('pto_analysis.passes', 'libcst'))])"
    )
    ran = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"
