/**
 * Bounds of a node that several tabs share. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Browser: requests of one tab that the shared node has and that have no answer; a tab keeps further ones itself. */
export const MAX_TAB_REQUESTS = 256
/** Browser: bytes of the requests of one tab that the shared node has; it refuses further ones. */
export const MAX_TAB_REQUEST_BYTES: number = 64 * MIB
/** Browser: requests that a tab keeps itself; it refuses further ones. */
export const MAX_KEPT_TAB_REQUESTS = 65_536
/** Browser: requests of one tab that the shared node works on at a time. */
export const MAX_TAB_PARALLEL = 32
/** Browser: notifications that a tab has not confirmed, after which the shared node ends its subscriptions. */
export const MAX_UNHEARD_EVENTS = 8192
/** Browser: bytes of these notifications (estimate). */
export const MAX_UNHEARD_BYTES: number = 32 * MIB
/** Browser: notifications after which a tab confirms them. */
export const HEARD_STEP = 256
/** Browser: tabs of one shared node; further ones are refused. */
export const MAX_TABS = 256
/** Browser: requests whose outcome is kept in the database, for tabs that ask again after a takeover. */
export const MAX_CLIENT_REQUESTS = 1024
/** Browser: bytes of an outcome that is kept; of a larger one, only that the request was applied. */
export const MAX_CLIENT_ANSWER_BYTES = 4096
/** Browser: time until a shared node has to be reached before the tab begins again to look for one. */
export const SHARED_NODE_WAIT_MS = 2_000
/** Browser: time for which a new shared node waits for the database of its predecessor. */
export const PREDECESSOR_WAIT_MS = 2_000
/** Browser: time for which a service worker looks for the node of a tab, before it opens the node itself. */
export const SERVICE_WORKER_WAIT_MS = 500
/** Browser: time after which a service worker closes the node that it has opened, when nobody asks it. */
export const SERVICE_WORKER_IDLE_MS = 10_000
/** Browser: bytes of a request that a service worker answers. */
export const MAX_SERVICE_WORKER_BODY: number = 16 * MIB
