/** The buttons that export a page's rows as files, with the export's progress and any error. */
import { BusyButton } from '../ui/busy-button.tsx'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { useExport } from './use-export.tsx'
import type { ExportFile } from './use-export.tsx'
import './progress.css'

type ExportButtonsProps = {
  readonly files: readonly (ExportFile & { readonly label: string })[]
  readonly className?: string
}

/** Returns the CSV and Excel files of an export. `url` must include a query string. */
export const listFiles = (url: string, name: string): ExportButtonsProps['files'] => [
  { label: 'CSV', path: `${url}&format=csv`, name: `${name}.csv` },
  { label: 'Excel', path: `${url}&format=xlsx`, name: `${name}.xlsx` },
]

/** Shows progress and errors in a separate row below the buttons of a toolbar. */
export function ExportButtons({ files, className = 'btn line sm' }: ExportButtonsProps) {
  const { start, isPending, error, dismissError, progress } = useExport()
  return (
    <>
      {files.map(({ label, ...file }) => (
        <BusyButton
          key={label}
          className={className}
          isBusy={isPending}
          onClick={() => start(file)}
        >
          <Icon name="down" small />
          {label}
        </BusyButton>
      ))}
      {(error !== null || progress !== null) && (
        <div className="export-state">
          {error && <Banner text={error.message} onDismiss={dismissError} />}
          {progress}
        </div>
      )}
    </>
  )
}
