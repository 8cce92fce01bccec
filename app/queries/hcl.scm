; Blocks are named as others refer to them: `aws_s3_bucket.logs`, `var.name`. See app/core/outline.py.
(config_file (body (block (string_lit) @name . (block_start) @body) @type))
(config_file (body (block (block_start) @body) @section))
(config_file (body (attribute . (identifier) @name) @constant))
(block (body (block . (identifier) @name) @section))
(comment) @comment

(expression (variable_expr) @object . (get_attr (identifier) @call))
