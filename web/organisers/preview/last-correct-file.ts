/** The file that the preview shows while a table of the questions has a mistake. */
import { useRef } from 'react'
import type { NewEventAnswers } from '../../../engine/authoring.ts'
import { isFeeQuestion } from '../new-conference/answers.ts'
import type { Step } from '../new-conference/answers.ts'

type GeneratedFile = { readonly path: string; readonly text: string }

/**
 * Returns the file written from the answers, or the last one without a mistake in a table: the file
 * of an unreadable table contains placeholder prices, which are not the organiser's. Null if there
 * was none with the organiser's own fees.
 */
export function useLastCorrectFile(
  file: GeneratedFile,
  { categories }: NewEventAnswers,
  steps: readonly Step[],
): GeneratedFile | null {
  const lastCorrect = useRef<{ readonly file: GeneratedFile; readonly hasFees: boolean } | null>(
    null,
  )
  const wrongTables = steps.filter(({ problem }) => Array.isArray(problem))
  if (wrongTables.length === 0) lastCorrect.current = { file, hasFees: categories !== undefined }
  const isFeeTableWrong = wrongTables.some(({ question, earlierAnswers }) =>
    isFeeQuestion(question, earlierAnswers),
  )
  // If only another table is wrong, the file has the organiser's fees.
  if (lastCorrect.current?.hasFees !== true) return isFeeTableWrong ? null : file
  return lastCorrect.current.file
}
