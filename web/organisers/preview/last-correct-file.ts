/** The file that the preview shows while one of the question tables contains a mistake. */
import { useRef } from 'react'
import type { NewEventAnswers } from '../../../engine/authoring.ts'
import { isFeeQuestion } from '../new-conference/answers.ts'
import type { Step } from '../new-conference/answers.ts'

type GeneratedFile = { readonly path: string; readonly text: string }

/**
 * Returns the file written from the answers. While a table contains a mistake, returns the last file without one,
 * because a file written from an unreadable table contains placeholder prices instead of the organiser's. Null if the
 * fee table contains a mistake and no earlier file had the organiser's own fees.
 */
export function useLastCorrectFile(
  file: GeneratedFile,
  { categories }: NewEventAnswers,
  steps: readonly Step[],
): GeneratedFile | null {
  const lastCorrectFile = useRef<{
    readonly file: GeneratedFile
    readonly hasFees: boolean
  } | null>(null)
  const tablesWithMistakes = steps.filter(({ problem }) => Array.isArray(problem))
  if (tablesWithMistakes.length === 0)
    lastCorrectFile.current = { file, hasFees: categories !== undefined }
  const hasFeeMistake = tablesWithMistakes.some(({ question, earlierAnswers }) =>
    isFeeQuestion(question, earlierAnswers),
  )
  // If only other tables contain mistakes, the file has the organiser's fees.
  if (lastCorrectFile.current?.hasFees !== true) return hasFeeMistake ? null : file
  return lastCorrectFile.current.file
}
