"""What trains: optimizers, schedulers, scalers, and what clears and clips gradients."""
