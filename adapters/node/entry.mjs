/** Last step of the build: `dist/server.js`, the command that package.json and the docs name. */
import { chmodSync, writeFileSync } from 'node:fs'

const entry = new URL('../../dist/server.js', import.meta.url)
writeFileSync(entry, "#!/usr/bin/env node\nimport './adapters/node/main.js'\n")
chmodSync(entry, 0o755)
