; include: ecmascript.scm
; include: jsx.scm
(field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(field_definition property: (property_identifier) @bind value: (new_expression constructor: [(identifier) (member_expression)] @made))
(formal_parameters (identifier) @bind)
(formal_parameters (assignment_pattern left: (identifier) @bind))
