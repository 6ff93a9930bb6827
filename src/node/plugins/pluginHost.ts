/**
 * Runs plugins. Their failures are logged and never reach the node; waits for them have a time limit.
 * @module
 */
import type { Plugin, PluginContext, PluginControl, PluginEvents, PluginMethod } from '../../api/plugins.ts'
import { MAX_PLUGIN_EVENTS, PLUGIN_METHOD_MS, PLUGIN_START_MS, PLUGIN_STOP_MS } from '../../base/limits/limits.ts'
import type { Logger } from '../../base/ports/host.ts'
import type { Timers } from '../../base/ports/timers.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { API_GROUPS } from '../../config/apiGroups.ts'
import { isPromise } from '../../rpc/invoke.ts'
import type { MethodDefinition } from '../../rpc/method.ts'
import { TextResult } from '../../rpc/textResult.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { pluginMethod } from './pluginMethod.ts'

export interface PluginHostDeps {
  readonly plugins: readonly Plugin[]
  readonly timers: Timers
  /** The plugin's logger is a child of it. */
  readonly logger: Logger
}

type State = 'built' | 'running' | 'failed' | 'stopped'
type PluginEvent = () => unknown

/** A plugin with its state and its undelivered events. */
class RunningPlugin {
  readonly plugin: Plugin
  readonly logger: Logger
  readonly #timers: Timers
  state: State = 'built'
  /** Events that are not delivered yet. */
  readonly #events: PluginEvent[] = []
  #isDelivering = false
  #dropped = 0
  /** Whether the last event failed: only the first of several failures is logged. */
  #hasFailed = false

  constructor(plugin: Plugin, { timers, logger }: PluginHostDeps) {
    this.plugin = plugin
    this.#timers = timers
    this.logger = logger.child(plugin.name)
  }

  /** Runs a part of the plugin. @throws {NodeError} PLUGIN_INTERNAL_ERROR; TIMEOUT after the time limit */
  async run<T>(what: string, limitMs: number, work: () => T | Promise<T>): Promise<T> {
    try {
      const value = work()
      return isPromise(value) ? ((await this.#within(what, limitMs, value)) as T) : value
    } catch (cause) {
      throw cause instanceof NodeError && cause.code === 'TIMEOUT' ? cause : pluginError(this.plugin.name, cause)
    }
  }

  /** Runs a part whose failure is only logged. @returns whether it succeeded */
  async attempt(what: string, limitMs: number, work: () => void | Promise<void>): Promise<boolean> {
    try {
      await this.run(what, limitMs, work)
      return true
    } catch (error) {
      this.logger.error(`the plugin failed to ${what}`, { error })
      return false
    }
  }

  /** Delivers an event in a later turn of the event loop. Beyond a bound, events are dropped. */
  enqueue(event: PluginEvent): void {
    if (this.state !== 'running') return
    if (this.#events.length >= MAX_PLUGIN_EVENTS) {
      if (this.#dropped++ === 0) this.logger.warn('events are dropped: the plugin is too slow')
      return
    }
    this.#events.push(event)
    if (this.#isDelivering) return
    this.#isDelivering = true
    this.#timers.schedule(0, () => void this.#deliver())
  }

  async #deliver(): Promise<void> {
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
      try {
        await this.run('handle an event', PLUGIN_METHOD_MS, event)
        this.#hasFailed = false
      } catch (error) {
        if (!this.#hasFailed)
          this.logger.error('a listener of the plugin threw; repeated failures are not logged', { error })
        this.#hasFailed = true
      }
    }
    this.#isDelivering = false
    if (this.#dropped > 0) this.logger.warn('events were dropped', { count: this.#dropped })
    this.#dropped = 0
  }

  #within(what: string, limitMs: number, work: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const message = `the plugin ${this.plugin.name} did not ${what} within ${limitMs / 1000} s`
      const timer = this.#timers.schedule(limitMs, () => reject(new NodeError({ code: 'TIMEOUT' }, message)))
      work.then(resolve, reject).finally(() => timer.cancel())
    })
  }
}

/** The node's services for plugins, except the logger and events. */
export type PluginServices = Omit<PluginContext, 'logger' | 'on' | 'metrics'> & {
  metricsOf(plugin: string): PluginContext['metrics']
}

export class PluginHost implements PluginControl, Lifecycle {
  readonly name = 'plugins'
  /** Methods of all plugins. */
  readonly methods: readonly MethodDefinition[]
  readonly #plugins: readonly RunningPlugin[]
  #services: PluginServices | undefined
  readonly #listeners = new Map<keyof PluginEvents, [RunningPlugin, (event: never) => unknown][]>()

  /** @throws {NodeError} INVALID_PLUGIN for a plugin that does not follow the contract */
  constructor(deps: PluginHostDeps) {
    for (const plugin of deps.plugins) checkPlugin(plugin, deps.plugins)
    this.#plugins = deps.plugins.map((plugin) => new RunningPlugin(plugin, deps))
    this.methods = this.#plugins.flatMap((each) => (each.plugin.methods ?? []).map((it) => definitionOf(each, it)))
  }

  /** Call it before {@link start}. */
  connect(services: PluginServices): void {
    this.#services = services
  }

  async start(): Promise<void> {
    for (const each of this.#plugins) {
      const context = this.#contextOf(each)
      each.state = 'running'
      const isStarted = await each.attempt('start', PLUGIN_START_MS, () => each.plugin.start?.(context))
      if (!isStarted) each.state = 'failed'
    }
  }

  async stop(): Promise<void> {
    for (const each of [...this.#plugins].reverse()) {
      const wasRunning = each.state === 'running'
      each.state = 'stopped'
      if (wasRunning) await each.attempt('stop', PLUGIN_STOP_MS, () => each.plugin.stop?.())
    }
  }

  reload(name: string): boolean {
    const runningPlugin = this.#plugins.find(({ plugin }) => plugin.name === name)
    if (runningPlugin === undefined) return false
    void runningPlugin
      .attempt('reload its configuration', PLUGIN_START_MS, () => runningPlugin.plugin.reload?.())
      .then((isDone) => {
        if (isDone) runningPlugin.logger.info('the configuration was reloaded')
      })
    return true
  }

  /** Whether a plugin listens: saves building payloads without need. */
  listensTo(name: keyof PluginEvents): boolean {
    return this.#listeners.has(name)
  }

  emit<Name extends keyof PluginEvents>(name: Name, event: PluginEvents[Name]): void {
    for (const [plugin, listener] of this.#listeners.get(name) ?? []) plugin.enqueue(() => listener(event as never))
  }

  #contextOf(running: RunningPlugin): PluginContext {
    const services = this.#services
    if (services === undefined) throw new TypeError('plugins are started without services')
    return {
      logger: running.logger,
      metrics: services.metricsOf(running.plugin.name),
      chainId: services.chainId,
      request: services.request,
      on: (name, listener) => {
        const listeners = this.#listeners.get(name) ?? []
        this.#listeners.set(name, [...listeners, [running, listener]])
      },
    }
  }
}

const NAME = /^[a-z][a-z0-9]{0,31}$/

function checkPlugin(plugin: Plugin, all: readonly Plugin[]): void {
  const { name, methods = [] } = plugin
  if (!NAME.test(name)) throw invalid(`plugin name '${name}' must be lower-case letters and digits`)
  if ((API_GROUPS as readonly string[]).includes(name.toUpperCase())) {
    throw invalid(`the plugin '${name}' has the name of an API group`)
  }
  if (all.filter((other) => other.name === name).length > 1) throw invalid(`two plugins have the name '${name}'`)
  for (const method of methods) {
    if (!/^[a-z][a-z0-9]*_[A-Za-z0-9]{1,64}$/.test(method.name) || !method.name.startsWith(`${name}_`)) {
      throw invalid(`the method '${method.name}' of the plugin '${name}' is not named ${name}_<method>`)
    }
  }
}

function definitionOf(running: RunningPlugin, method: PluginMethod): MethodDefinition {
  const { name, handler } = method
  return pluginMethod(method, async (params) => {
    if (running.state !== 'running') {
      throw pluginError(running.plugin.name, new Error(`the plugin ${running.plugin.name} is not running`))
    }
    const answer = await running.run(`answer ${name}`, PLUGIN_METHOD_MS, async () => {
      const value: unknown = await handler(params)
      return JSON.stringify(value) ?? 'null'
    })
    return new TextResult(answer)
  })
}

function pluginError(name: string, cause: unknown): NodeError {
  const data = cause instanceof Error ? cause.message : String(cause)
  return new NodeError({ code: 'PLUGIN_INTERNAL_ERROR', data } as { code: string }, `plugin ${name}: ${data}`, {
    cause,
  })
}

function invalid(reason: string): NodeError {
  return new NodeError({ code: 'INVALID_PLUGIN' }, reason)
}
