/** `parlance completion <shell>`: prints a completion script. */
import type { Run } from '../context.ts'
import { usage } from '../problem.ts'

/**
 * Each asks `parlance complete --` with the words as they are typed: nothing of them is evaluated, as a TAB in the
 * middle of a line must do nothing. Where nothing is offered, paths are.
 */
const SCRIPTS: Record<string, string> = {
  bash: `__parlance_complete() {
  local word about
  COMPREPLY=()
  while IFS=$'\\t' read -r word about; do
    COMPREPLY+=("$word")
  done < <(parlance complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F __parlance_complete parlance
`,
  zsh: `#compdef parlance
_parlance() {
  local line
  local -a offered
  for line in "\${(@f)$(parlance complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && offered+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#offered )); then _describe parlance offered; else _files; fi
}
compdef _parlance parlance
`,
  fish: `# parlance completion for fish
function __parlance_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -l offered (parlance complete -- $words[2..-1] "$word" 2>/dev/null)
  if set -q offered[1]
    printf '%s\\n' $offered
  else
    __fish_complete_path "$word"
  end
end
complete -c parlance -e
complete -c parlance -f -a '(__parlance_complete)'
`,
  powershell: `# parlance completion for PowerShell
Register-ArgumentCompleter -Native -CommandName parlance -ScriptBlock {
  param($word, $line, $cursor)
  $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_" })
  $last = if ($word -eq '') { ' ' } else { "$word" }
  parlance complete '--' @words $last 2>$null | ForEach-Object {
    $name, $about = $_ -split "\`t", 2
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $(if ($about) { $about } else { $name }))
  }
}
`,
}

/** Prints the script; it is no JSON, with `--json` neither. */
export const run: Run = async (context, _options, [shell = '']) => {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  const shells = Object.keys(SCRIPTS).join(', ')
  if (script === undefined) throw usage(`There is a script for ${shells}, not for ${JSON.stringify(shell)}.`)
  await context.out(script)
}
