; Keys as sections, three levels deep: `jobs.build.steps`, `services.web`. See app/core/outline.py.
(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @section)))
(document (block_node (block_mapping (block_mapping_pair
  value: (block_node (block_mapping (block_mapping_pair key: (_) @name) @section))))))
(document (block_node (block_mapping (block_mapping_pair
  value: (block_node (block_mapping (block_mapping_pair
    value: (block_node (block_mapping (block_mapping_pair key: (_) @name) @section)))))))))
(document (block_node (block_sequence (block_sequence_item) @section)))
(comment) @comment
