; A stage goes from its FROM to the next (@opens). See app/core/outline.py.
(from_instruction as: (image_alias) @name) @section @opens
(from_instruction (image_spec) @name) @section @opens
(comment) @comment
