/** Order of the group of secp256k1: private keys, r and s are below it. @see SEC 2, section 2.4.1 */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
