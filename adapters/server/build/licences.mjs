/** The licences of the packages that a bundle contains. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** @throws {Error} when a package has no licence file */
export function collectLicences(root, metafiles) {
  const folders = new Set()
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const match = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)
        if (match !== null && bytesInOutput > 0) folders.add(match[0])
      }
    }
  }
  return [...folders]
    .sort()
    .map((folder) => licenceOf(path.join(root, folder)))
    .join('\n\n')
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = existsSync(folder) && readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (!file) throw new Error(`${name} has no licence file`)
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}
