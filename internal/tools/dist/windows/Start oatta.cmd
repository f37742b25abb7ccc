@echo off
rem Double-click this file, or drop a folder of pictures on it: they are classified, and the results are shown in a browser.
setlocal
set "oatta=%~dp0oatta.exe"
set "folder=%~1"
if not defined folder set /p "folder=Drop a folder of pictures here, then press Enter: "
if not defined folder exit /b 2
set "folder=%folder:"=%"
if "%folder:~-1%"=="\" set "folder=%folder:~0,-1%"
set "results=%folder%.oatta.jsonl"
"%oatta%" setup
if errorlevel 1 goto end
"%oatta%" run images --resume -o "%results%" "%folder%"
if errorlevel 2 goto end
echo.
echo The results open in a browser, else at the address below; close this window when you are done.
"%oatta%" view --open "%results%" "%folder%"
:end
pause
