; include: c.scm
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name)) body: (_) @body) @function
(class_specifier name: (_) @name body: (_) @body) @class
; `class EXPORT Cache { … }`: the grammar takes the macro for the class, and the class for a function of that type.
(function_definition type: [(class_specifier !body) (struct_specifier !body)] declarator: (identifier) @name body: (_) @body) @class
(namespace_definition name: (_) @name body: (_) @body) @module
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(namespace_definition body: (declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @constant))
(template_declaration) @wrap

(using_declaration) @import

(call_expression function: (qualified_identifier) @call)
(call_expression function: (template_function name: (_) @call))
(call_expression function: (field_expression argument: (_) @object field: (template_method name: (_) @call)))
(call_expression function: (qualified_identifier scope: (_)? @object name: (template_function name: (_) @call)))
(new_expression type: [(type_identifier) (qualified_identifier)] @call)
(new_expression type: (template_type name: (_) @call))

(parameter_declaration type: (_) @declared declarator: (reference_declarator (identifier) @bind))
(optional_parameter_declaration type: (_) @declared declarator: (identifier) @bind)
(declaration type: (_) @declared declarator: (reference_declarator (identifier) @bind))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator declarator: [
    (identifier) @bind
    (pointer_declarator declarator: (identifier) @bind)
  ] value: [
    (new_expression type: (_) @made)
    (call_expression function: [(identifier) (qualified_identifier)] @called)
    (compound_literal_expression type: (_) @made)
  ]))
