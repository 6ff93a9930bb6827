/**
 * Bounds of an enclave. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Enclave: body of a request from a node or from another enclave. */
export const MAX_ENCLAVE_MESSAGE_BYTES: number = 16 * MIB
/** Enclave: bodies of requests in progress, in total, on each port. */
export const MAX_ENCLAVE_PENDING_BYTES: number = 64 * MIB
/** Enclave: connections to each port. */
export const MAX_ENCLAVE_CONNECTIONS = 256
/** Enclave: time for a whole request. */
export const ENCLAVE_REQUEST_MS = 10_000
/** Enclave: recipients of a payload, and members of a group. */
export const MAX_ENCLAVE_RECIPIENTS = 1024
/** Enclave: name and description of a group, in characters. */
export const MAX_ENCLAVE_GROUP_TEXT = 4096
/** Enclave: messages of one request that are sent to other enclaves at a time. */
export const MAX_ENCLAVE_PUSHES = 16
/** Enclave: keys of boxes that are kept, each for a pair of a local and another key. */
export const MAX_ENCLAVE_SHARED_KEYS = 1024
/** Enclave: known enclaves beside the configured ones. */
export const MAX_ENCLAVE_PARTIES = 256
/** Enclave: keys of each such enclave. */
export const MAX_ENCLAVE_PARTY_KEYS = 64
/** Enclave: keys and URLs in one party info. */
export const MAX_ENCLAVE_PARTY_ITEMS = 1024
/** Enclave: characters of a URL in a party info. */
export const MAX_ENCLAVE_URL_LENGTH = 512
/** Enclave: party infos whose keys are verified at a time; further ones are refused. */
export const MAX_ENCLAVE_VERIFICATIONS = 8
/** Enclave: data that enclaves other than the configured ones may store. */
export const MAX_ENCLAVE_STRANGER_BYTES: number = 256 * MIB
/** Enclave: time for an answer from another enclave, shorter than the one for an answer to the node. */
export const ENCLAVE_PEER_ANSWER_MS = 3000
/** Enclave: bytes of an answer from another enclave. */
export const MAX_ENCLAVE_PEER_ANSWER_BYTES: number = MIB
/** Enclave: interval at which party info is sent to the known enclaves. */
export const ENCLAVE_POLL_MS = 5000
/** Enclave: time for which a verified key of a party is not verified again. */
export const ENCLAVE_KEY_TTL_MS: number = 5 * 60_000
/** Enclave: failed polls in a row after which an enclave that is not configured is forgotten. */
export const MAX_ENCLAVE_POLL_FAILURES = 12
/** Enclave: interval between two resends of all payloads to the same key. */
export const ENCLAVE_RESEND_INTERVAL_MS = 60_000
/** Enclave: time without a further payload after which the log says how many lost ones came back. */
export const ENCLAVE_RECOVERY_QUIET_MS = 5_000
/** Enclave: memory for the derivation of a key from a password, in KiB, that a key file may demand. */
export const MAX_ENCLAVE_KDF_KIB: number = 1024 * 1024
