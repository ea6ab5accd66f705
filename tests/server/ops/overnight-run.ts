/** `npm run overnight [sqlite|postgres]`: the overnight scenario, with what each step saw. Exit status: 0 all is as it should be. */
import { overnightOn } from './overnight.ts'

const asked = process.argv.slice(2)
for (const where of ['SQLite', 'PostgreSQL'] as const) {
  if (asked.length > 0 && !asked.some((word) => where.toLowerCase().startsWith(word))) continue
  console.log(where)
  const began = performance.now()
  await overnightOn(where, (line) => console.log(`  ${line}`), {
    before: 200,
    after: 100,
    fresh: 10,
    // Whoever writes emails by itself looks each minute.
    quietMs: 70_000,
  })
  console.log(`✓ ${where} (${((performance.now() - began) / 1000).toFixed(0)} s)`)
}
