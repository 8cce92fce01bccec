; Capture names are explained in app/core/outline.py.
(function_item name: (_) @name body: (block) @body) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name body: (_)? @body) @class
(union_item name: (_) @name body: (_) @body) @class
(enum_item name: (_) @name body: (_) @body) @enum
(trait_item name: (_) @name body: (_) @body) @interface
(impl_item type: (_) @name body: (_) @body) @impl
(type_item name: (_) @name) @type
(mod_item name: (_) @name body: (_) @body) @module
(macro_definition name: (_) @name) @function
(source_file (const_item name: (_) @name) @constant)
(source_file (static_item name: (_) @name) @constant)
(declaration_list (const_item name: (_) @name) @constant)
(attribute_item) @above
(line_comment) @comment
(block_comment) @comment

(use_declaration) @import
(mod_item name: (_) !body) @import
(extern_crate_declaration) @import

(call_expression function: [(identifier) (field_expression) (scoped_identifier)] @call)
(call_expression function: (generic_function function: [(identifier) (field_expression) (scoped_identifier)] @call))
(macro_invocation macro: [(identifier) (scoped_identifier)] @call)

(parameter pattern: (identifier) @bind type: (_) @declared)
(parameter pattern: (mut_pattern (identifier) @bind) type: (_) @declared)
(field_declaration name: (field_identifier) @bind type: (_) @declared)
(let_declaration pattern: [(identifier) @bind (mut_pattern (identifier) @bind)] type: (_)? @declared
  value: [(struct_expression name: (_) @made) (call_expression function: (scoped_identifier) @path)]?)
(tuple_pattern (identifier) @bind)
(tuple_struct_pattern (identifier) @bind)
(for_expression pattern: (identifier) @bind)
(closure_parameters (identifier) @bind)
