/**
 * `npm run overnight [sqlite|postgres]`: runs the overnight scenario and prints the results of each step.
 * Exits with 0 on success.
 */
import { runOvernightOn } from './overnight.ts'

const args = process.argv.slice(2)
for (const databaseName of ['SQLite', 'PostgreSQL'] as const) {
  if (args.length > 0 && !args.some((arg) => databaseName.toLowerCase().startsWith(arg))) continue
  console.log(databaseName)
  const startedAt = performance.now()
  await runOvernightOn(databaseName, (line) => console.log(`  ${line}`), {
    before: 200,
    after: 100,
    fresh: 10,
    // The background worker for emails runs every minute.
    quietMs: 70_000,
  })
  console.log(`✓ ${databaseName} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`)
}
