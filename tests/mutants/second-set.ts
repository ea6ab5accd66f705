/** The second set of mistakes, by subject. */
import { copyMistakes } from './second-set/copied.ts'
import { dateMistakes } from './second-set/dates.ts'
import { moneyMistakes } from './second-set/money.ts'
import { ruleMistakes } from './second-set/rules.ts'
import { formMistakes } from './second-set/form.ts'
import { nameMistakes } from './second-set/names.ts'
import { textMistakes } from './second-set/texts.ts'
import { yamlMistakes } from './second-set/yaml.ts'
import { officeMistakes } from './second-set/office.ts'
import type { Mistake } from './second-set/mistake-builders.ts'

/** All mistakes of the second set. */
export const secondSet: readonly Mistake[] = [
  ...copyMistakes,
  ...dateMistakes,
  ...moneyMistakes,
  ...ruleMistakes,
  ...formMistakes,
  ...nameMistakes,
  ...textMistakes,
  ...yamlMistakes,
  ...officeMistakes,
]
