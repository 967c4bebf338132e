# /fine-tuning.
-found_by = fine-tuning, finetune, transfer learning, pre-training, pretrained model, downstream task, classification of text, foundation model
