/**
 * Runs blocks of public sets on isonode and on other programs, alternating, and compares results and processor time:
 *
 *   node test/bench/sets/run.mjs --targets=isonode,geth,revme,anvil [--set=mainnet|eest|loops] [--only=TEXT]
 *     [--megagas=100] [--evm=native|reference] [--rounds=3] [--sets=FOLDER] [--geth=FILE] [--revme=FILE] [--anvil=FILE]
 *     [--check] [--json=FILE]
 *
 * geth (its program `evm`) and revme are compared with the block execution of isonode in process, anvil with a node of
 * isonode, `isonode-rpc`: both by `eth_simulateV1`. A target whose program is absent is left out with a message.
 * `--check` only compares results. The sets are in `../shared/bench/sets` or in the folder that `--sets` or ISONODE_SETS
 * names; `--megagas` selects the size of EEST's blocks.
 *
 * The sources are bundled, so no build is needed; only the target `isonode-rpc` starts the built program.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { buildSync } from 'esbuild'

const root = path.resolve(import.meta.dirname, '../../..')
const folder = path.join(root, '.cache/sets')
buildSync({
  entryPoints: ['main', 'isonodeChild'].map((name) => path.join(import.meta.dirname, `${name}.ts`)),
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  outdir: folder,
  outExtension: { '.js': '.mjs' },
})
const args = [path.join(folder, 'main.mjs'), root, ...process.argv.slice(2)]
process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1)
