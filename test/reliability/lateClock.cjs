/** Sets the clock of a process behind by LATE_CLOCK_MS. Its monotonic time is unchanged. */
const lateMs = Number(process.env.LATE_CLOCK_MS)
const now = Date.now.bind(Date)
Date.now = () => now() - lateMs
