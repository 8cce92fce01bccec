; What C and C++ share. Capture names are explained in app/core/outline.py.
(function_definition declarator: (function_declarator declarator: (_) @name) body: (_)? @body) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)) body: (_) @body) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) body: (_) @body) @function
(type_definition type: (struct_specifier body: (_) @body) declarator: (type_identifier) @name) @class
(type_definition type: (union_specifier body: (_) @body) declarator: (type_identifier) @name) @class
(type_definition type: (enum_specifier body: (_) @body) declarator: (type_identifier) @name) @enum
(type_definition type: [(type_identifier) (primitive_type) (sized_type_specifier)] declarator: (type_identifier) @name) @type
(type_definition type: (struct_specifier !body) declarator: (type_identifier) @name) @type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @type
(struct_specifier name: (_) @name body: (_) @body) @class
(union_specifier name: (_) @name body: (_) @body) @class
(enum_specifier name: (_) @name body: (_) @body) @enum
(preproc_function_def name: (_) @name) @function
(preproc_def name: (_) @name value: (_)) @constant
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @constant)
(translation_unit (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @constant)
(translation_unit (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @constant)
(comment) @comment

(preproc_include) @import

(call_expression function: [(identifier) (field_expression)] @call)

(parameter_declaration type: (_) @declared declarator: [
  (identifier) @bind
  (pointer_declarator declarator: (identifier) @bind)
])
(declaration type: (_) @declared declarator: [
  (identifier) @bind
  (pointer_declarator declarator: (identifier) @bind)
  (init_declarator declarator: (identifier) @bind)
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @bind))
])
(field_declaration type: (_) @declared declarator: [
  (field_identifier) @bind
  (pointer_declarator declarator: (field_identifier) @bind)
])
