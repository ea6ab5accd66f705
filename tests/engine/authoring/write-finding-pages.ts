/** `npm run findings`: writes docs/findings. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FINDINGS_FOLDER, buildFindingPages } from './finding-pages.ts'

const pages = buildFindingPages()
mkdirSync(FINDINGS_FOLDER, { recursive: true })
for (const name of readdirSync(FINDINGS_FOLDER))
  if (!(name in pages)) rmSync(join(FINDINGS_FOLDER, name))
for (const [name, text] of Object.entries(pages)) writeFileSync(join(FINDINGS_FOLDER, name), text)
process.stdout.write(`${Object.keys(pages).length} pages in docs/findings\n`)
