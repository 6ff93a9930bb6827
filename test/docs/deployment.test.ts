/** The Dockerfile and the systemd unit; CI also runs hadolint. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { needsTool, onlyOnNode } from '../support/host/needs.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const SYSTEMD = '/usr/bin/systemd-analyze'

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')

/** Instructions of the last stage, with continued lines joined. */
function lastStage(): string[] {
  const lines = read('Dockerfile').replaceAll('\\\n', '').split('\n')
  const instructions = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))
}

const arguments_ = (name: string): string[] =>
  lastStage()
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1).trim())

describe('Dockerfile', onlyOnNode, () => {
  it('starts from images of one exact version', () => {
    for (const [image] of read('Dockerfile').matchAll(/^FROM \S+/gm)) expect(image).toMatch(/:\d+\.\d+\.\d+-[a-z-]+$/)
  })

  it('runs without root, as process 1', () => {
    expect(arguments_('USER')).toEqual(['1000:1000'])
    expect(JSON.parse(arguments_('ENTRYPOINT')[0] as string)).toEqual([
      'node',
      '/app/node_modules/isonode/dist/server.js',
    ])
  })

  it('checks its health without further programs', () => {
    const [check] = arguments_('HEALTHCHECK')
    expect(JSON.parse((check as string).split('CMD ')[1] as string).slice(0, 2)).toEqual(['node', '-e'])
  })

  it('sends only existing files to the build', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    expect(allowed.map((line) => line.slice(1)).filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([])
  })
})

describe('systemd unit', { ...needsTool('systemd-analyze', existsSync(SYSTEMD)), ...onlyOnNode }, () => {
  it('is valid', () => {
    const unit = path.join(ROOT, 'docs/systemd/isonode.service')
    expect(execFileSync(SYSTEMD, ['verify', '--man=no', unit], { encoding: 'utf8', stdio: 'pipe' })).toBe('')
  })
})
