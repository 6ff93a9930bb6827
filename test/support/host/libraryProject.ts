import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const REPOSITORY = path.resolve(import.meta.dirname, '../../..')

/**
 * Makes a project with the built package, as installed from its archive, among its modules.
 * @returns its folder, which the caller removes
 */
export function projectWithLibrary(): string {
  const project = mkdtempSync(path.join(tmpdir(), 'isonode-project-'))
  const modules = path.join(project, 'node_modules')
  mkdirSync(path.join(modules, 'isonode'), { recursive: true })
  for (const name of ['package.json', 'dist']) {
    cpSync(path.join(REPOSITORY, name), path.join(modules, 'isonode', name), { recursive: true })
  }
  // The package's dependencies, which are not the project's.
  symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(modules, 'isonode/node_modules'))
  return project
}
