/** The temporary project of a guide: a folder with the packages and programs that its blocks use. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { temporaryDirectory } from '../nodes/program.ts'
import { type HardhatVersion, hardhatCommand, hardhatPackages } from './hardhat.ts'
import { foundryTool } from './tools.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
/** Packages that the programs of guides import. */
const PACKAGES = ['ethers', 'esbuild', 'solc', 'viem', 'vitest', 'web3', '@ethereumjs']

/** The configuration of Hardhat 2 is a module of CommonJS. */
export const hardhatOf = (markdown: string): HardhatVersion => (markdown.includes('hardhat.config.cjs') ? 2 : 3)

/** @returns the folder, with `npx`, and `cast` and `forge` if installed, in `bin` */
export function createGuideProject(markdown: string): string {
  const folder = temporaryDirectory()
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  for (const tool of ['cast', 'forge']) {
    const program = foundryTool(tool)
    if (program !== undefined) symlinkSync(program, path.join(bin, tool))
  }
  const modules = path.join(folder, 'node_modules')
  const version = hardhatOf(markdown)
  const hardhat = markdown.includes('npx hardhat') ? hardhatPackages(version) : undefined
  const isCommonJs = hardhat !== undefined && version === 2
  writeFileSync(path.join(folder, 'package.json'), isCommonJs ? '{}' : '{ "type": "module" }')
  if (hardhat !== undefined) symlinkSync(hardhat, modules)
  else linkPackages(modules)
  writeFileSync(path.join(bin, 'npx'), npx(modules, hardhatCommand(version, modules)))
  chmodSync(path.join(bin, 'npx'), 0o755)
  return folder
}

function linkPackages(modules: string): void {
  mkdirSync(modules)
  symlinkSync(ROOT, path.join(modules, 'isonode'))
  for (const name of PACKAGES) symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name))
}

function npx(modules: string, hardhat: readonly string[]): string {
  return [
    '#!/bin/sh',
    'program=$1; shift',
    'case $program in',
    `isonode) exec "${process.execPath}" "${ROOT}/dist/server.js" "$@" ;;`,
    `hardhat) exec ${hardhat.map((part) => `"${part}"`).join(' ')} "$@" ;;`,
    `vitest) exec "${process.execPath}" "${modules}/vitest/vitest.mjs" "$@" ;;`,
    `esbuild) exec "${modules}/esbuild/bin/esbuild" "$@" ;;`,
    '*) echo "$program is not available in this test" >&2; exit 1 ;;',
    'esac',
    '',
  ].join('\n')
}
