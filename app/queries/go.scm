; Capture names are explained in app/core/outline.py.
(function_declaration name: (identifier) @name body: (block)? @body) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name body: (block)? @body) @method
(type_declaration (type_spec name: (_) @name type: (struct_type (_) @body)) @class)
(type_declaration (type_spec name: (_) @name type: (interface_type) @body) @interface)
(type_declaration (type_spec name: (_) @name
  type: [(type_identifier) (qualified_type) (pointer_type) (function_type) (map_type) (slice_type) (array_type) (channel_type) (generic_type)]) @type)
(type_declaration (type_alias name: (_) @name) @type)
(type_declaration . (type_spec) .) @wrap
(type_declaration . (type_alias) .) @wrap
(method_elem name: (_) @name) @method
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @constant)))
(source_file (const_declaration . (const_spec) .) @wrap)
(source_file (var_declaration . (var_spec) .) @wrap)
(comment) @comment

(import_spec) @import

(call_expression function: [(identifier) (selector_expression)] @call)
(call_expression function: (index_expression operand: [(identifier) (selector_expression)] @call))
(call_expression function: (type_instantiation_expression type: (_) @call))

(parameter_declaration name: (identifier) @bind type: (_) @declared)
(variadic_parameter_declaration name: (identifier) @bind)
(var_spec name: (identifier) @bind type: (_)? @declared)
(field_declaration name: (field_identifier) @bind type: (_) @declared)
(short_var_declaration left: (expression_list (identifier) @bind))
(short_var_declaration left: (expression_list . (identifier) @bind .)
  right: (expression_list . [
    (composite_literal type: (_) @made)
    (unary_expression operand: (composite_literal type: (_) @made))
    (call_expression function: (identifier) @new arguments: (argument_list . (type_identifier) @made .))
    (call_expression function: [(identifier) (selector_expression)] @called)
  ] .))
(short_var_declaration left: (expression_list . (identifier) @bind . "," )
  right: (expression_list . (call_expression function: [(identifier) (selector_expression)] @called) .))
(range_clause left: (expression_list (identifier) @bind))
(assignment_statement left: (expression_list (identifier) @bind))
