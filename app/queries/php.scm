; Capture names are explained in app/core/outline.py.
(class_declaration name: (_) @name body: (_) @body) @class
(trait_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(method_declaration name: (_) @name body: (_)? @body) @method
(function_definition name: (_) @name body: (_) @body) @function
(program (const_declaration (const_element . (name) @name)) @constant)
(declaration_list (const_declaration (const_element . (name) @name)) @constant)
(comment) @comment

(namespace_use_declaration) @import
(require_once_expression) @import
(require_expression) @import
(include_once_expression) @import
(include_expression) @import

(function_call_expression function: [(name) (qualified_name)] @call)
(member_call_expression object: (_) @object name: (name) @call)
(nullsafe_member_call_expression object: (_) @object name: (name) @call)
(scoped_call_expression scope: (_) @object name: (name) @call)
(object_creation_expression [(name) (qualified_name)] @call)

(simple_parameter type: (_)? @declared name: (variable_name) @bind)
(property_promotion_parameter type: (_)? @declared name: (variable_name) @bind)
(property_promotion_parameter type: (_)? @declared name: (variable_name (name) @field))
(property_declaration type: (_)? @declared (property_element name: (variable_name (name) @field)))
(assignment_expression left: [(variable_name) (member_access_expression)] @bind)
(assignment_expression left: [(variable_name) (member_access_expression)] @bind
  right: [(object_creation_expression [(name) (qualified_name)] @made) (variable_name) @from])
(foreach_statement (variable_name) @bind)
(foreach_statement (pair (_) (variable_name) @bind))
(catch_clause type: (type_list . (named_type) @declared .) name: (variable_name) @bind)
