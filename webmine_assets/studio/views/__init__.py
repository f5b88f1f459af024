"""The pages people see: each module answers for one of them."""
