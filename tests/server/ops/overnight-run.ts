/** Runs the overnight scenario and prints each result: `npm run overnight [sqlite|postgres]`. */
import { runOvernightOn } from './overnight.ts'

// The process exits with 0 on success.
const args = process.argv.slice(2)
for (const databaseName of ['SQLite', 'PostgreSQL'] as const) {
  if (args.length > 0 && !args.some((arg) => databaseName.toLowerCase().startsWith(arg))) continue
  console.log(databaseName)
  const startedAt = performance.now()
  await runOvernightOn(databaseName, (line) => console.log(`  ${line}`), {
    countBefore: 200,
    countAfter: 100,
    countDuring: 10,
    // The background job that sends emails runs every minute.
    quietMs: 70_000,
  })
  console.log(`✓ ${databaseName} (${((performance.now() - startedAt) / 1000).toFixed(0)} s)`)
}
