/** `npm run findings`: writes docs/findings and the tables in docs/conditions.md. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONDITION_PAGE, writeConditionTables } from './condition-page.ts'
import { FINDINGS_FOLDER, buildFindingPages } from './finding-pages.ts'

const pages = buildFindingPages()
mkdirSync(FINDINGS_FOLDER, { recursive: true })
for (const name of readdirSync(FINDINGS_FOLDER))
  if (!(name in pages)) rmSync(join(FINDINGS_FOLDER, name))
for (const [name, text] of Object.entries(pages)) writeFileSync(join(FINDINGS_FOLDER, name), text)
writeFileSync(CONDITION_PAGE, writeConditionTables(readFileSync(CONDITION_PAGE, 'utf8')))
process.stdout.write(
  `${Object.keys(pages).length} pages in docs/findings, and docs/conditions.md\n`,
)
