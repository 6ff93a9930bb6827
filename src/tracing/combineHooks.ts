import type { ExecutionHooks } from '../evm/hooks.ts'

const ALL_OPCODES: Uint8Array = new Uint8Array(256).fill(1)

/** Hooks whose steps are selected by opcode only. */
type CombinableHooks = Omit<ExecutionHooks, 'range' | 'positions'>

/**
 * Combines the hooks of several tracers: each is called in order and sees what it would see alone.
 * @returns undefined when there are none
 */
export function combineHooks(parts: readonly CombinableHooks[]): ExecutionHooks | undefined {
  if (parts.length < 2) return parts[0]
  const enters = parts.filter((part) => part.enter !== undefined)
  const exits = parts.filter((part) => part.exit !== undefined)
  const logs = parts.filter((part) => part.log !== undefined)
  const selfDestructs = parts.filter((part) => part.selfDestruct !== undefined)
  const bounded = parts.filter((part) => part.isFull !== undefined)
  return {
    ...combinedSteps(parts),
    ...(enters.length > 0 && {
      enter: (call) => {
        for (const part of enters) part.enter?.(call)
      },
    }),
    ...(exits.length > 0 && {
      exit: (end) => {
        for (const part of exits) part.exit?.(end)
      },
    }),
    ...(logs.length > 0 && {
      log: (log, depth) => {
        for (const part of logs) part.log?.(log, depth)
      },
    }),
    ...(selfDestructs.length > 0 && {
      selfDestruct: (event) => {
        for (const part of selfDestructs) part.selfDestruct?.(event)
      },
    }),
    ...(bounded.length > 0 && {
      isFull: () => bounded.some((part) => part.isFull?.()),
      drained: async () => {
        await Promise.all(bounded.map((part) => (part.isFull?.() ? part.drained?.() : undefined)))
      },
    }),
  }
}

type StepHooks = Pick<ExecutionHooks, 'opcodes' | 'step' | 'stepEnd'>

function combinedSteps(parts: readonly CombinableHooks[]): StepHooks {
  const steps = parts.filter((part) => part.step !== undefined)
  // A tracer with an opcode filter never receives `stepEnd`, even when combined with one that does.
  const stepEnds = parts.filter((part) => part.stepEnd !== undefined && part.opcodes === undefined)
  if (steps.length === 0 && stepEnds.length === 0) return {}
  const masks = steps.map((part) => part.opcodes ?? ALL_OPCODES)
  const isEveryStep = stepEnds.length > 0 || masks.includes(ALL_OPCODES)
  return {
    ...(!isEveryStep && {
      opcodes: ALL_OPCODES.map((_, opcode) => Number(masks.some((mask) => mask[opcode] !== 0))),
    }),
    step: (frame) => {
      const { opcode } = frame
      for (let i = 0; i < steps.length; i++) if (masks[i]?.[opcode] !== 0) steps[i]?.step?.(frame)
    },
    ...(stepEnds.length > 0 && {
      stepEnd: (frame, cost, forwarded, halt) => {
        for (const part of stepEnds) part.stepEnd?.(frame, cost, forwarded, halt)
      },
    }),
  }
}
