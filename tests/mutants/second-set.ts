/** The second set of mistakes, by subject. */
import { copied } from './second-set/copied.ts'
import { dates } from './second-set/dates.ts'
import { money } from './second-set/money.ts'
import { rules } from './second-set/rules.ts'
import { form } from './second-set/form.ts'
import { names } from './second-set/names.ts'
import { texts } from './second-set/texts.ts'
import { yaml } from './second-set/yaml.ts'
import { office } from './second-set/office.ts'
import type { Mistake } from './second-set/mistake-builders.ts'

/** All mistakes of the second set. */
export const secondSet: readonly Mistake[] = [
  ...copied,
  ...dates,
  ...money,
  ...rules,
  ...form,
  ...names,
  ...texts,
  ...yaml,
  ...office,
]
