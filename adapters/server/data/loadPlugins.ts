/**
 * Loads the modules of `--plugins`: files, or packages that are installed in the working directory.
 * @module
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { Plugin } from '../../../src/api/plugins.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'

/** @throws {NodeError} INVALID_PLUGIN that names the module */
export async function loadPlugins(modules: readonly string[]): Promise<readonly Plugin[]> {
  const plugins: Plugin[] = []
  for (const module of modules) plugins.push(await loadPlugin(module))
  return plugins
}

async function loadPlugin(module: string): Promise<Plugin> {
  try {
    // A text: the build replaces imports of texts in the bundled program, which cannot import by itself.
    const { default: exported } = (await import(`${urlOf(module)}`)) as { default?: unknown }
    const plugin: unknown = typeof exported === 'function' ? await exported() : exported
    if (typeof plugin !== 'object' || plugin === null || typeof (plugin as Partial<Plugin>).name !== 'string') {
      throw new Error('its default export is not a plugin: an object with a name, or a function that returns one')
    }
    return plugin as Plugin
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new NodeError({ code: 'INVALID_PLUGIN' }, `--plugins: cannot load ${module}: ${reason}`, { cause })
  }
}

function urlOf(module: string): string {
  const file = path.resolve(module)
  if (existsSync(file)) return pathToFileURL(file).href
  if (/^[./]/.test(module)) throw new Error('the file does not exist')
  const require = createRequire(path.join(process.cwd(), 'package.json'))
  return pathToFileURL(require.resolve(module)).href
}
