/** The temporary project of a guide: a folder with the packages and programs that its blocks use. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { temporaryDirectory } from '../nodes/program.ts'
import { foundryTool, installedTools } from './tools.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
/** Packages that the programs of guides import. */
const PACKAGES = ['ethers', 'esbuild', 'solc', 'viem', 'vitest', 'web3', '@ethereumjs']

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
  const hardhat = installedTools('hardhat/node_modules')
  const isHardhat = markdown.includes('npx hardhat') && hardhat !== undefined
  writeFileSync(path.join(folder, 'package.json'), isHardhat ? '{}' : '{ "type": "module" }')
  if (isHardhat) symlinkSync(hardhat, modules)
  else linkPackages(modules)
  writeFileSync(path.join(bin, 'npx'), npx(modules))
  chmodSync(path.join(bin, 'npx'), 0o755)
  return folder
}

function linkPackages(modules: string): void {
  mkdirSync(modules)
  symlinkSync(ROOT, path.join(modules, 'isonode'))
  for (const name of PACKAGES) symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name))
}

function npx(modules: string): string {
  return [
    '#!/bin/sh',
    'program=$1; shift',
    'case $program in',
    `isonode) exec "${process.execPath}" "${ROOT}/dist/server.js" "$@" ;;`,
    `hardhat) exec "${process.execPath}" "${modules}/hardhat/internal/cli/cli.js" "$@" ;;`,
    `vitest) exec "${process.execPath}" "${modules}/vitest/vitest.mjs" "$@" ;;`,
    `esbuild) exec "${modules}/esbuild/bin/esbuild" "$@" ;;`,
    '*) echo "$program is not available in this test" >&2; exit 1 ;;',
    'esac',
    '',
  ].join('\n')
}
