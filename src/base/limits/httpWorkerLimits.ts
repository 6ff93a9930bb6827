/** Bounds of the processes of `--rpc-http-workers`. */

/** HTTP workers: maximum number of processes. */
export const MAX_HTTP_WORKERS = 64
/** HTTP workers: requests that one process has forwarded and that are not answered; a further one is refused. */
export const MAX_FORWARDED_REQUESTS = 4096
/** HTTP workers: bytes that a process has not taken from another; beyond them, notifications wait. */
export const HTTP_WORKER_BACKLOG_BYTES: number = 4 * 1024 * 1024
/** HTTP workers: bytes that a process has not taken from the main process; one that takes less is replaced. */
export const MAX_HTTP_WORKER_BACKLOG_BYTES: number = 128 * 1024 * 1024
/** HTTP workers: time between two signs of life. */
export const HTTP_WORKER_PING_MS = 1_000
/** HTTP workers: time without a sign of life after which a process is replaced. */
export const HTTP_WORKER_SILENCE_MS = 15_000
/** HTTP workers: time that a process has to start. */
export const HTTP_WORKER_START_MS = 30_000
/** HTTP workers: deaths within {@link HTTP_WORKER_DEATH_WINDOW_MS} after which none is replaced any longer. */
export const MAX_HTTP_WORKER_DEATHS = 5
/** HTTP workers: period in which deaths are counted. */
export const HTTP_WORKER_DEATH_WINDOW_MS = 60_000
/** HTTP workers: period in which further deaths delay replacements; without one, a process is replaced at once. */
export const HTTP_WORKER_BURST_MS = 1_000
/** HTTP workers: waiting time of a replacement after one other death in that period; each further death doubles it. */
export const HTTP_WORKER_RESTART_MS = 100
