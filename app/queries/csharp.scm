; Capture names are explained in app/core/outline.py. Namespaces are no part of a name: `namespace A;` and `namespace A { }` are alike.
(class_declaration name: (_) @name body: (_)? @body) @class
(struct_declaration name: (_) @name body: (_)? @body) @class
(record_declaration name: (_) @name body: (_)? @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name body: (_)? @body) @method
(constructor_declaration name: (_) @name body: (_)? @body) @method
(destructor_declaration "~" @name body: (_)? @body) @method
(operator_declaration "operator" @name body: (_)? @body) @method
(conversion_operator_declaration "operator" @name body: (_)? @body) @method
(indexer_declaration "this" @name accessors: (_)? @body) @method
(property_declaration name: (_) @name accessors: (_)? @body) @method
(event_declaration name: (_) @name) @method
(local_function_statement name: (_) @name body: (_)? @body) @function
(comment) @comment

(using_directive) @import

(invocation_expression function: [(identifier) (member_access_expression name: (identifier))] @call)
(invocation_expression function: (generic_name . (identifier) @call))
(invocation_expression function: (member_access_expression expression: (_) @object name: (generic_name . (identifier) @call)))
(invocation_expression function: (conditional_access_expression condition: (_) @object
  (member_binding_expression name: [(identifier) @call (generic_name . (identifier) @call)])))
(object_creation_expression type: [(identifier) (qualified_name)] @call)
(object_creation_expression type: (generic_name . (identifier) @call))
(variable_declaration type: (identifier) @call (variable_declarator (implicit_object_creation_expression)))

(parameter type: (_) @declared name: (identifier) @bind)
(variable_declaration type: (_) @declared (variable_declarator name: (identifier) @bind))
(variable_declarator name: (identifier) @bind (object_creation_expression type: (_) @made))
(property_declaration type: (_) @declared name: (identifier) @field)
(declaration_pattern type: (_) @declared name: (identifier) @bind)
(declaration_expression type: (_) @declared name: (identifier) @bind)
(foreach_statement type: (_) @declared left: (identifier) @bind)
(catch_declaration type: (_) @declared name: (identifier) @bind)
(lambda_expression parameters: (implicit_parameter) @bind)
