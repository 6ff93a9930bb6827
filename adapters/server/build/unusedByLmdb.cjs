/** Replaces msgpackr and weak-lru-cache in the bundle: lmdb uses them for an encoding and a cache that are switched off. */
exports.Encoder = undefined
exports.WeakLRUCache = undefined
