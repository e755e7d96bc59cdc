# Completions of ordersync for PowerShell: asks the command what fits.
Register-ArgumentCompleter -Native -CommandName ordersync -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    # An empty word would be lost on the way; the command adds it where the index is past the end.
    $index = if ($wordToComplete -eq '') { $words.Count } else { $words.Count - 1 }
    $answer = @(& ordersync __complete powershell $index -- @words 2>$null)
    if ($answer.Count -eq 0 -or $answer[0] -ne 'words') {
        # Nothing returned: PowerShell offers files.
        return
    }
    $answer | Select-Object -Skip 1 | ForEach-Object {
        $value, $help = $_ -split "`t", 2
        if (-not $help) { $help = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
    }
}
