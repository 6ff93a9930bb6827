/**
 * Sandboxes of QuickJS in WebAssembly. A script has the language and what the host passes to its program; there are no
 * modules, files, timers or sockets, and nothing of the host's own objects.
 * @module
 */
import QuickJsModule from '@jitl/quickjs-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import type {
  SandboxLimits,
  SandboxOptions,
  ScriptEngine,
  ScriptErrorDetails,
  ScriptMachine,
  ScriptSandbox,
} from '../../src/base/ports/scriptSandbox.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import { type MeteredModule, meterModule } from './meteredWasm.ts'

const FIRST_PAGES = 256
/** Memory of a machine: the engine's own and that of its script. */
const MAX_PAGES = 2048
const STACK_BYTES = 192 * 1024

type EmscriptenModule = ConstructorParameters<typeof QuickJSFFI>[0]

/** Parts of an instance that the package does not show. */
class Internals {
  readonly memory: WebAssembly.Memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MAX_PAGES })
  /** Where the last buffer is that was made from bytes of the host: the script uses the same memory. */
  bufferAt = 0
  /** Asked while the engine works: whether the script that it runs must stop at once. */
  mustStop: () => boolean = () => false

  /** The sources of one instance of the engine. */
  variant({ module, clock }: CompiledEngine): QuickJSSyncVariant {
    const internals = this
    class Ffi extends QuickJSFFI {
      constructor(emscripten: EmscriptenModule) {
        super(emscripten)
        const create = this.QTS_NewArrayBuffer
        this.QTS_NewArrayBuffer = (context, at, length) => {
          internals.bufferAt = at
          return create(context, at, length)
        }
      }
    }
    const instantiateWasm = (
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance) => void,
    ): WebAssembly.Exports => {
      const functions = imports[clock.module] as WebAssembly.ModuleImports
      const time = functions[clock.name] as () => number
      const checkedTime = (): number => {
        if (internals.mustStop()) throw new Error('the script must stop')
        return time()
      }
      const checked = { ...imports, [clock.module]: { ...functions, [clock.name]: checkedTime } }
      const instance = new WebAssembly.Instance(module, checked)
      done(instance)
      return instance.exports
    }
    const base: QuickJSSyncVariant = {
      type: 'sync',
      importFFI: async () => Ffi,
      importModuleLoader: async () => QuickJsModule,
    }
    return newVariant(base, { emscriptenModule: { instantiateWasm }, wasmMemory: internals.memory })
  }
}

interface CompiledEngine extends Pick<MeteredModule, 'clock'> {
  readonly module: WebAssembly.Module
}

async function compile(engine: Uint8Array): Promise<CompiledEngine> {
  const { bytes, clock } = meterModule(engine)
  return { module: await WebAssembly.compile(bytes), clock }
}

/** @param load the bytes of the engine; called once */
export function quickJsEngine(load: () => Promise<Uint8Array>): ScriptEngine {
  let loading: Promise<CompiledEngine> | undefined
  return {
    open: async () => {
      loading ??= load().then(compile)
      const internals = new Internals()
      const module = await newQuickJSWASMModuleFromVariant(internals.variant(await loading))
      return new Machine(module, internals)
    },
  }
}

class Machine implements ScriptMachine {
  readonly #module: QuickJSWASMModule
  readonly #internals: Internals

  constructor(module: QuickJSWASMModule, internals: Internals) {
    this.#module = module
    this.#internals = internals
  }

  sandbox(options: SandboxOptions): ScriptSandbox {
    return new Sandbox(this.#module.newRuntime(), this.#internals, options)
  }
}

/** Why the script is being stopped, or an error of the host that ends the call. */
type End = { readonly error: unknown }

class Sandbox implements ScriptSandbox {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #internals: Internals
  readonly #sharedAt: number
  readonly #sharedBytes: number
  readonly #limits: SandboxLimits
  readonly #entries: QuickJSHandle
  readonly #functions = new Map<string, QuickJSHandle>()
  #shared: Uint8Array
  #end: End | undefined
  #deadline = Number.POSITIVE_INFINITY
  /** The values that determine the deadline. */
  #limit = ''
  #usedMs = 0
  #isClosed = false

  constructor(runtime: QuickJSRuntime, internals: Internals, options: SandboxOptions) {
    const { program, sharedBytes, ask, limits } = options
    this.#runtime = runtime
    this.#internals = internals
    this.#limits = limits
    runtime.setMemoryLimit(limits.memoryBytes)
    runtime.setMaxStackSize(STACK_BYTES)
    runtime.setInterruptHandler(() => this.#mustStop())
    this.#context = runtime.newContext()
    const context = this.#context
    const buffer = context.newArrayBuffer(new ArrayBuffer(sharedBytes))
    this.#sharedAt = internals.bufferAt
    this.#sharedBytes = sharedBytes
    this.#shared = this.#view()
    const question = context.newFunction('ask', (kind) => {
      if (this.#end !== undefined) return context.newNumber(0)
      try {
        return context.newNumber(ask(context.getNumber(kind), this.shared))
      } catch (error) {
        this.#end = { error }
        return { error: context.newString('the host stopped the script') }
      }
    })
    const start = this.#run(() => context.evalCode(program, 'tracer'))
    this.#entries = this.#run(() => context.callFunction(start, context.undefined, buffer, question))
    for (const handle of [start, question, buffer]) handle.dispose()
  }

  get shared(): Uint8Array {
    if (this.#shared.buffer !== this.#internals.memory.buffer) this.#shared = this.#view()
    return this.#shared
  }

  call(entry: string, argument?: string | number): string | number | undefined {
    const context = this.#context
    const callee = this.#entry(entry)
    const input =
      typeof argument === 'string'
        ? context.newString(argument)
        : argument === undefined
          ? context.undefined
          : context.newNumber(argument)
    const answer = this.#run(() => context.callFunction(callee, context.undefined, input))
    const kind = context.typeof(answer)
    const value =
      kind === 'number' ? context.getNumber(answer) : kind === 'string' ? context.getString(answer) : undefined
    input.dispose()
    answer.dispose()
    return value
  }

  #entry(name: string): QuickJSHandle {
    const cached = this.#functions.get(name)
    if (cached !== undefined) return cached
    const callee = this.#context.getProp(this.#entries, name)
    this.#functions.set(name, callee)
    return callee
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const handle of this.#functions.values()) handle.dispose()
    this.#entries.dispose()
    this.#context.dispose()
    this.#runtime.dispose()
  }

  #view(): Uint8Array {
    return new Uint8Array(this.#internals.memory.buffer, this.#sharedAt, this.#sharedBytes)
  }

  #mustStop(): boolean {
    if (this.#end === undefined && performance.now() >= this.#deadline) {
      this.#end = { error: stopped('time', `execution timeout: the tracer ran ${this.#limit}`) }
    }
    return this.#end !== undefined
  }

  #run(action: () => ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {
    const { callMs, totalMs = Number.POSITIVE_INFINITY } = this.#limits
    const startedMs = performance.now()
    const leftMs = totalMs - this.#usedMs
    this.#deadline = startedMs + Math.min(callMs, leftMs)
    this.#limit = leftMs < callMs ? `for longer than its timeout of ${totalMs} ms` : `for ${callMs} ms without a pause`
    this.#internals.mustStop = () => this.#mustStop()
    let result: ReturnType<QuickJSContext['callFunction']>
    try {
      result = action()
    } catch (error) {
      // The machine is not usable any more, so nothing in it is freed.
      this.#isClosed = true
      this.#end ??= { error: stopped('memory', 'the tracer used too much memory, or called itself too often', error) }
      throw this.#end.error
    } finally {
      this.#internals.mustStop = () => false
      this.#usedMs += performance.now() - startedMs
    }
    if (this.#end !== undefined) throw this.#end.error
    if (result.error === undefined) return result.value
    const reason = this.#context.getString(result.error)
    result.error.dispose()
    throw new NodeError<ScriptErrorDetails>({ code: 'SCRIPT_FAILED' }, reason)
  }
}

function stopped(limit: 'time' | 'memory', reason: string, cause?: unknown): NodeError<ScriptErrorDetails> {
  return new NodeError<ScriptErrorDetails>({ code: 'SCRIPT_STOPPED', limit }, reason, { cause })
}
