/**
 * `npm run simulate SEED HISTORIES [PROFILE…]`: so many histories of each profile, every one from the seed, in
 * two processes; `npm run simulate -- --replay SEED:HISTORY [PROFILE]`: one of them, told line by line.
 */
import { happen } from './history.ts'
import { planOf } from './plan.ts'
import { PROFILES } from './profiles.ts'

const [seed = '1', histories = '100', ...names] = process.argv.slice(2)
if (seed === '--replay') {
  const [of = '1', history = '0'] = histories.split(':')
  const profile = PROFILES.find(({ name }) => name === (names[0] ?? 'design'))
  if (profile === undefined) throw new Error('no such profile')
  const plan = planOf(profile, Number(of), Number(history))
  console.log(JSON.stringify(plan, null, 1))
  const { violation } = await happen(plan, { trace: (line) => console.log(line) })
  console.log(violation)
} else {
  for (const profile of PROFILES.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const begun = process.cpuUsage()
    let bad = 0
    for (let history = 0; history < Number(histories); history++) {
      const { violation } = await happen(planOf(profile, Number(seed), history))
      if (violation === null) continue
      bad += 1
      if (bad < 6) console.log(`${profile.name} ${seed}:${history}`, violation)
    }
    const { user, system } = process.cpuUsage(begun)
    console.log(
      `${profile.name}: ${bad} violations, ${((user + system) / 1000 / Number(histories)).toFixed(1)} ms each`,
    )
  }
}
