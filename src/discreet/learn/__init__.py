"""A page that teaches differential privacy: sliders, pictures, and the numbers behind them."""
