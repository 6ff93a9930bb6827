import type { Tracer } from '../contract.ts'

/** Executes a target from its beginning. Rejects with whatever a hook of the tracer has thrown. */
export type StepExecution = (tracer: Tracer) => Promise<unknown>
