/**
 * Reasons of devp2p that the protocols above it use to end a connection.
 * @see p2p.md section 3
 * @module
 */
export const BREACH_OF_PROTOCOL = 0x02
export const SUBPROTOCOL_ERROR = 0x10
