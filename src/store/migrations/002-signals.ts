// Signs of an attack in a run's outside text.

export const addSignals = (): readonly string[] => ["alter table run add column signals text"];
