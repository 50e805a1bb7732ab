"""From text to statements, units and the constants around them. Nothing here knows the DSL beyond its import names.

The way of a text:

* `encoding` decodes bytes, `text` finds lines and offsets, `span` says what a place is.
* `scanner` cuts the text into logical lines, whatever is broken in it (`recovery` says where a broken one ends,
  `bounds` what is too much for a parser).
* `blocks` makes the tree of compound statements out of their indentation.
* `unit` cuts a module into top-level definitions, which results are remembered by, and module-level statements.
* `statements` parses one statement at a time, by its text, into the nodes of `syntax`; positions come on request.
  Statements of one shape (`shapes`) are parsed once and filled in (`templates`), long headers parameter by parameter
  (`headers`). `concrete`, `convert` and its tables `libcst_…` are the only modules that import libcst.

Names of the Python around kernels:

* `modules` indexes what a module binds, by `ast` (`from_ast` gives the same syntax nodes); `imports` finds files.
* `constants` evaluates an expression to one of the `values`, with `operators`, `builtin_calls`, `externals` and
  `dsl_names`; `classes`, `class_values` and `functions` read classes and small helpers. No user code runs.
* `workspace` answers for names across files (`module_view`: as one module sees them), `session` records what was
  asked so that a result can be kept, `facts` reads asserted tests.
"""
