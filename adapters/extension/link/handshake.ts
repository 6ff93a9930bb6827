/** The message in which the hook gets its port. */
export const HANDSHAKE = 'isonode:link'
