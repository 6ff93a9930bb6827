import type { ExecutionHooks } from '../../evm/hooks.ts'
import { combineHooks } from '../combineHooks.ts'
import { configObject, invalidConfig } from './config.ts'
import type { DeferredTracer, DeferredTracerMaker, ResultWriter } from './deferredTracer.ts'

/**
 * Runs several tracers over one execution; the result is an object of their results by name.
 * @param makers looks up a tracer by name
 * @returns a tracer whose configuration is an object of the others' configurations by name
 * @see go-ethereum documentation, "Built-in tracers": muxTracer
 */
export function muxTracer(makers: (name: string) => DeferredTracerMaker | undefined): DeferredTracerMaker {
  return (config) => {
    const tracers = Object.entries(configObject(config))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, own]) => {
        const maker = makers(name)
        if (maker === undefined) throw invalidConfig(`unknown tracer ${name.slice(0, MAX_QUOTED)}`)
        return { name, make: maker(own) }
      })
    return () => mux(tracers.map(({ name, make }) => ({ name, tracer: make() })))
  }
}

/** Number of characters of a name that an error message quotes. */
const MAX_QUOTED = 64

interface NamedTracer {
  readonly name: string
  readonly tracer: DeferredTracer
}

function mux(tracers: readonly NamedTracer[]): DeferredTracer {
  const hooks: (ExecutionHooks | undefined)[] = tracers.map(({ tracer }) => tracer.hooks)
  return {
    hooks: combineHooks(hooks.filter((own) => own !== undefined)),
    begin: (context) => {
      for (const { tracer } of tracers) tracer.begin(context)
    },
    result: (outcome): ResultWriter => {
      const writers = tracers.map(({ tracer }) => tracer.result(outcome))
      return (out) => {
        for (const [i, { name }] of tracers.entries()) {
          out.ascii(`${i === 0 ? '{' : ','}"${name}":`)
          writers[i]?.(out)
        }
        out.ascii(tracers.length === 0 ? '{}' : '}')
      }
    },
  }
}
