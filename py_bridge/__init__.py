"""The bridge: states of a duel in, answers of the battle-phase rulings out."""

__version__ = "0.1.0"
